-- Records by their kind and vectors by their embedder: counted, and the newest of a kind found,
-- without reading the rest.

CREATE INDEX memories_kind ON memories (user_no, kind, key);
CREATE INDEX vectors_space ON vectors (user_no, space_no);
