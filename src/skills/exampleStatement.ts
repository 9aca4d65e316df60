/** What skills state in the examples that the agent card shows. */
export const exampleStatement = {
  subject: { id: 'https://example.org/France', type: 'https://schema.org/Country' },
  predicate: { id: 'https://schema.org/name' },
  object: { value: 'France' },
};
