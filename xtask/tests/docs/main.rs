//! What the documents say of the tree is true, and the book is whole.

mod pages;
mod paths;
mod links;
mod blocks;
