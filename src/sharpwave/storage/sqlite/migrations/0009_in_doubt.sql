-- What is in doubt, to ask about: found without reading what is not.

CREATE INDEX memories_in_doubt ON memories (user_no) WHERE state = 'uncertain';
