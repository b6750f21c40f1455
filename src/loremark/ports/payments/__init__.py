"""Who takes the money: nobody (``local``), or Stripe."""
