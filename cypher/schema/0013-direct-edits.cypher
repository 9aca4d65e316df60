// Edits by hand that wait to become statements: see docs/design/capture.md.
CREATE CONSTRAINT direct_edit_key IF NOT EXISTS FOR (n:DirectEdit) REQUIRE (n.tenant, n.number) IS UNIQUE;
CREATE INDEX direct_edit_element IF NOT EXISTS FOR (n:DirectEdit) ON (n.element);
CREATE INDEX direct_edit_start IF NOT EXISTS FOR (n:DirectEdit) ON (n.start);
CREATE INDEX direct_edit_end IF NOT EXISTS FOR (n:DirectEdit) ON (n.end);
