//! A graph attention network.
