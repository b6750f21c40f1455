"""How good enrichment is, in figures: labelled events, pairs and questions, and the arithmetic that scores engines."""
