"""Floor 7: where the house is put together. The only place that builds things from Settings."""
