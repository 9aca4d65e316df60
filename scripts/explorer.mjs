// Lays out GraphiQL beside explorer/, as files that the page of GET /graphql loads from its own host and nowhere else.
import { mkdir, writeFile } from 'node:fs/promises';
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';

const output = new URL('../dist/explorer/', import.meta.url);
const files = {
  'graphiql.js': graphiql.js,
  'graphiql.css': graphiql.css,
  'editor.worker.js': graphiql.editorWorkerService,
  'json.worker.js': graphiql.jsonWorker,
  'graphql.worker.js': graphiql.graphqlWorker,
};

await mkdir(output, { recursive: true });
for (const [name, text] of Object.entries(files)) await writeFile(new URL(name, output), text);
