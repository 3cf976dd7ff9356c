"""The parts of OpenAI's API in which people talk: where the question stands, what the answer is."""
