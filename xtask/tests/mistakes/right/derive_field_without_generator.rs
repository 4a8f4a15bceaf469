use dwindle::prelude::*;

#[derive(Debug, Clone)]
struct Currency(&'static str);

#[derive(Debug, Generate)]
struct Order {
    amount: u32,
    #[generate(with = g::sampled_from(["EUR", "USD"]).map(Currency))]
    currency: Currency,
}
