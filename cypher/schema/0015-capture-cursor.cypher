// How far change data capture of Neo4j has been read: see docs/design/capture.md.
CREATE CONSTRAINT capture_cursor_key IF NOT EXISTS FOR (n:CaptureCursor) REQUIRE n.key IS UNIQUE;
