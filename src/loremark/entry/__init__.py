"""Layer 7: composition roots. The only place that builds objects from Settings."""
