"""Payment providers: ``local`` (no money) and Stripe."""
