import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { examples } from '../../src/graph/examples.js';
import { createFetcher } from './fetcher.js';

// The editor's workers are files of this server, as the page's policy allows no others.
const workers = { json: 'json.worker.js', graphql: 'graphql.worker.js' };
globalThis.MonacoEnvironment = {
  getWorker: (_id, label) =>
    new Worker(new URL(workers[label] ?? 'editor.worker.js', import.meta.url), { type: 'module', name: label }),
};

const url = location.pathname;
const fetcher = createFetcher(url, createGraphiQLFetcher({ url }), (...request) => fetch(...request));
const defaultHeaders = '{ "Authorization": "Bearer <your token>" }';
const defaultTabs = examples.map((tab) => ({ ...tab, headers: defaultHeaders }));
createRoot(document.getElementById('graphiql')).render(
  createElement(GraphiQL, { fetcher, defaultTabs, defaultHeaders, defaultEditorToolsVisibility: 'headers' }),
);
