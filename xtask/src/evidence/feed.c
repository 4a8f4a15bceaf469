// Stands in for afl-fuzz: a fork server that forks once, and hands its child the inputs of one file, each behind its length in four bytes.
//
// Linked over two functions of AFL++'s run time (--wrap); all the rest of that counts and compares as ever.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern uint8_t *__afl_fuzz_ptr;
extern uint32_t *__afl_fuzz_len;
extern uint8_t *__afl_area_ptr;
extern uint32_t __afl_map_size;

static uint8_t buffer[1 << 20];
static uint32_t length;
static FILE *inputs;

void __wrap___afl_manual_init(void) {
  const char *path = getenv("FEED_INPUTS");
  pid_t child = fork();
  if (child > 0) {
    int status = 0;
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  inputs = path ? fopen(path, "rb") : NULL;
  if (child < 0 || !inputs) { _exit(2); }
  __afl_fuzz_ptr = buffer;
  __afl_fuzz_len = &length;
}

int __wrap___afl_persistent_loop(unsigned int count) {
  (void)count;
  if (fread(&length, sizeof length, 1, inputs) != 1) { return 0; }
  if (length > sizeof buffer || fread(buffer, 1, length, inputs) != length) { _exit(3); }
  // afl-fuzz does this between two inputs, in its own process.
  __afl_area_ptr[0] = 1;
  return 1;
}
