"""A door that speaks OpenAI's API: passes requests on to the models, and adds memory to them."""
