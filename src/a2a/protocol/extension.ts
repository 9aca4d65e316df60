/** Names the extension in cards and in requests; it does not change while the extension's version doesn't. */
export const EXTENSION_URI = 'urn:a2a:extension:knowledge-graph-collaboration:1.0';
