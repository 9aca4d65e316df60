export const EXTENSION_URI = 'urn:a2a:extension:knowledge-graph-collaboration:1.0';
