/** The import table: who may know whom. Arrows point down, and there are no cycles. ARCHITECTURE.md shows the layers. */

/** Folders of `src` that each folder may import besides itself. */
const mayImport = {
  common: ['config'],
  config: [],
  runtime: ['common'],
  scheduling: ['common'],
  json: ['common', 'scheduling'],
  entities: ['common', 'json'],
  database: ['common', 'scheduling', 'entities'],
  // The audit log.
  audit: ['common', 'json', 'scheduling', 'entities', 'database'],
  // `audit` only as types: the events that a call leaves.
  schema: ['common', 'json', 'entities', 'database', 'audit'],
  auth: ['common', 'entities', 'schema'],
  // Expressions that callers write: of pipeline aggregations and of derived variables.
  expression: ['common'],
  // The query language knows no store.
  search: ['common', 'json', 'scheduling', 'entities', 'expression'],
  // Documents of dashboards. They hold queries of searches.
  dashboard: ['common', 'json', 'entities', 'search'],
  records: ['common', 'config', 'json', 'scheduling', 'entities', 'expression', 'search', 'database'],
  // Calls to addresses that tenants name, and the secrets for them.
  calls: ['common', 'scheduling', 'database'],
  hooks: ['common', 'json', 'scheduling', 'entities', 'database', 'calls'],
  alerts: ['common', 'json', 'scheduling', 'entities', 'database'],
  // Commands and desired state, on their way to devices. `records` only for the layouts of frames.
  downlink: ['common', 'json', 'scheduling', 'entities', 'database', 'records', 'calls'],
  usage: ['common', 'scheduling', 'database', 'records'],
  jobs: ['common', 'json', 'scheduling', 'entities', 'database', 'audit'],
  imports: ['common', 'json', 'entities', 'schema', 'database', 'records', 'jobs'],
  live: ['common', 'json', 'scheduling', 'entities', 'database'],
  // Lists, cursors and loaders, with the listing of each thing.
  listing: ['common', 'entities', 'audit', 'schema', 'auth', 'search', 'records', 'hooks'],
  // The putting of many things by their keys.
  upsert: ['common', 'entities', 'schema', 'auth'],
  // A folder for each thing.
  resolvers: [
    'audit',
    'common',
    'json',
    'entities',
    'schema',
    'database',
    'auth',
    'listing',
    'upsert',
    'expression',
    'records',
    'search',
    'dashboard',
    'calls',
    'hooks',
    'alerts',
    'downlink',
    'imports',
    'jobs',
    'live',
  ],
  http: ['common', 'json', 'scheduling', 'entities', 'schema'],
  rest: ['common', 'json', 'entities', 'schema', 'http'],
  graph: ['common', 'json', 'scheduling', 'schema', 'http'],
  // Tools for assistants, over queries of the graph.
  mcp: ['common', 'json', 'scheduling', 'entities', 'schema', 'http', 'graph'],
  elasticsearch: [
    'common',
    'json',
    'scheduling',
    'entities',
    'schema',
    'auth',
    'database',
    'records',
    'search',
    'http',
  ],
  mqtt: ['common', 'json', 'scheduling', 'entities', 'schema', 'auth', 'records', 'downlink', 'http'],
  export: ['common', 'json', 'scheduling', 'entities', 'schema', 'auth', 'records', 'search'],
  operator: ['common', 'scheduling', 'entities', 'database', 'audit', 'auth', 'records'],
  // Sign-in of people.
  'sign-in': ['common', 'config', 'entities', 'schema', 'audit', 'auth', 'database', 'http'],
  // `database`, `hooks` and `records` only as types.
  telemetry: ['common', 'config', 'runtime', 'http', 'database', 'hooks', 'records'],
  // The database's own catalogue names its tables.
  backup: [],
  // Programs that speak HTTP to a service.
  clients: [],
  // A client that runs beside a broker. It reads packets as the endpoint does.
  bridge: ['common', 'scheduling', 'mqtt'],
};

/** The pattern of a folder's files. */
const at = (folder) => `^src/${folder}/`;

const table = Object.entries(mayImport).map(([from, to]) => ({
  name: `what-${from}-may-import`,
  severity: 'error',
  from: { path: at(from) },
  to: { path: '^src/', pathNot: [from, ...to].map(at) },
}));

/** Only the named files may import a library. */
const keeper = (library, ...paths) => ({
  name: `who-imports-${library.replaceAll(/\W/g, '-')}`,
  severity: 'error',
  from: { path: '^src/', pathNot: paths.map((path) => `^src/${path}`) },
  to: { path: `^node_modules/${library}/` },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      // The kinds of a union of nodes name the union, and it names them: only these may be circles of types.
      name: 'no-cycles-of-types',
      severity: 'error',
      from: { path: '^(src|console/src)/', pathNot: '^src/search/aggregation/' },
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      // A package of types alone, which generated documents name.
      to: { couldNotResolve: true, pathNot: '^@graphql-typed-document-node/core' },
    },
    {
      name: 'no-dev-dependency-in-src',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    { name: 'no-test-in-src', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|bench|scripts)/' } },
    {
      name: 'a-resolver-knows-no-other',
      severity: 'error',
      from: { path: '^src/resolvers/.*\\.resolver\\.ts$' },
      to: { path: '^src/resolvers/.*\\.resolver\\.ts$' },
    },
    {
      // What two rooms need lies in `listing` or in a folder of its own.
      name: 'a-room-knows-no-other',
      severity: 'error',
      from: { path: '^src/resolvers/([^/]+)/' },
      to: { path: '^src/resolvers/', pathNot: '^src/resolvers/$1/' },
    },
    {
      name: 'the-query-language-knows-no-store',
      severity: 'error',
      from: { path: '^src/search/' },
      to: { path: '^node_modules/(pg|sql-template-tag|@mikro-orm)/' },
    },
    keeper('sofa-api', 'rest/handler'),
    keeper('mqtt-packet', 'mqtt/', 'bridge/'),
    keeper('@opensearch-project', 'records/opensearch/'),
    {
      name: 'only-the-composition-knows-the-cluster',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(records/opensearch/|app/(services|connections)|command/)' },
      to: { path: '^src/records/opensearch/' },
    },
    keeper('undici', 'calls/'),
    keeper('nodemailer', 'alerts/mail/transport'),
    keeper('openid-client', 'sign-in/oidc-client'),
    keeper('yaml', 'clients/configuration/document'),
    keeper('@opentelemetry', 'telemetry/'),
    keeper('hyparquet-writer', 'export/parquet'),
    keeper('express', 'app/', 'http/', 'rest/', 'graph/', 'elasticsearch/', 'mcp/', 'sign-in/', 'telemetry/'),
    keeper('@modelcontextprotocol', 'mcp/'),
    {
      name: 'nothing-loose-in-src',
      severity: 'error',
      from: { path: '^src/[^/]+$', pathNot: '^src/main\\.ts$' },
      to: {},
    },
    ...table,
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
    },
  },
};
