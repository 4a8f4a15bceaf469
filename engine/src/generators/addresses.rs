//! Any address of the Internet protocols.
//!
//! Zeros are the simplest (`0.0.0.0`, `::`, port 0), and IPv4 is simpler than IPv6.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use super::std_types::generate_with;
use super::{Generate, Generator, any, one_of};
use crate::test_case::Alternatives;
use crate::test_case::TestCase;

// Each part of an address is a separate choice, so that one part shrinks without the others.
generate_with! {
    () Ipv4Addr: any::<[u8; 4]>().map(Ipv4Addr::from);
    () Ipv6Addr: any::<[u16; 8]>().map(Ipv6Addr::from);
    () IpAddr: one_of((any::<Ipv4Addr>().map(IpAddr::V4), any::<Ipv6Addr>().map(IpAddr::V6)));
    () SocketAddrV4:
        any::<(Ipv4Addr, u16)>().map(|(address, port)| SocketAddrV4::new(address, port));
    () SocketAddrV6: any::<(Ipv6Addr, u16, u32, u32)>()
        .map(|(address, port, flow, scope)| SocketAddrV6::new(address, port, flow, scope));
    () SocketAddr: one_of((
        any::<SocketAddrV4>().map(SocketAddr::V4),
        any::<SocketAddrV6>().map(SocketAddr::V6),
    ));
}
