// The words of registered agents, each with its tenant: see src/agents/nodes/searchWords.ts.
DROP INDEX agent_text IF EXISTS;
CREATE FULLTEXT INDEX agent_words IF NOT EXISTS FOR (n:Agent) ON EACH [n.searchWords] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
