-- Records by their kind and vectors by their embedder: counted, and the newest of a kind found,
-- without reading the rest.

CREATE INDEX memories_kind ON memories (user_no, kind);
CREATE INDEX vectors_space ON vectors (space_no);
