"""The atlas: how often each method's interval holds the truth, measured (`make coverage`)."""
