"""From a big model to a small one: distil, prune, factorise, quantise, export."""
