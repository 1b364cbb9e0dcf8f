/** The import table of ARCHITECTURE.md: who may know whom. Arrows point down, and there are no cycles. */

/** Small things that several parts need. */
const shared = ['back-off', 'clock-tolerance', 'poll-loop', 'periodic-tasks', 'named', 'time-slice'];

/** Folders and files of `src` that one of them may import besides itself. */
const mayImport = {
  'error-without-stack': [],
  errors: ['error-without-stack'],
  'time-slice': [],
  duration: [],
  setting: ['duration'],
  'cluster-setting': ['setting'],
  'mqtt-setting': ['setting'],
  'mail-setting': ['setting'],
  'oidc-setting': ['setting'],
  config: ['duration', 'setting', 'cluster-setting', 'mqtt-setting', 'mail-setting', 'oidc-setting'],
  json: ['errors', 'time-slice'],
  log: ['config'],
  transaction: [],
  visibility: [],
  'fair-queue': ['errors'],
  'address-counter': ['errors'],
  binary: [],
  static: [],
  named: [],
  'back-off': [],
  'clock-tolerance': [],
  'poll-loop': ['back-off'],
  'periodic-tasks': ['poll-loop'],
  entities: ['errors', 'json'],
  // Of schema only the type of a read, of entities only that of a call.
  database: ['back-off', 'entities', 'errors', 'log', 'secret-file', 'schema', 'fair-queue', 'time-slice'],
  // Who did what. Of log only the type.
  audit: ['entities', 'errors', 'json', 'log', 'transaction', 'periodic-tasks'],
  // Of audit only the type of what a call leaves there.
  schema: ['audit', 'entities', 'errors', 'json', 'transaction'],
  auth: ['audit', 'entities', 'schema', 'errors'],
  // The query language: it knows no store.
  search: ['entities', 'errors', 'error-without-stack', 'json', 'time-slice'],
  // Of database only how values are parsed and which errors say that it is lost.
  records: [
    'cluster-setting',
    'entities',
    'search',
    'database',
    'binary',
    'errors',
    'json',
    'log',
    'transaction',
    'visibility',
    'fair-queue',
    ...shared,
  ],
  hooks: ['entities', 'binary', 'errors', 'fair-queue', 'json', 'log', 'transaction', ...shared],
  alerts: ['entities', 'json', 'transaction', ...shared],
  usage: ['records', 'errors', 'log', 'transaction', ...shared],
  jobs: ['audit', 'entities', 'errors', 'json', 'log', 'transaction', ...shared],
  imports: ['entities', 'schema', 'records', 'jobs', 'errors', 'json', 'transaction', ...shared],
  live: ['entities', 'errors', 'json', 'log', 'visibility', ...shared],
  resolvers: [
    'schema',
    'audit',
    'auth',
    'entities',
    'records',
    'search',
    'hooks',
    'alerts',
    'imports',
    'jobs',
    'live',
    'errors',
    'json',
  ],
  rest: ['entities', 'schema', 'errors', 'json', 'log', 'fair-queue', 'static', 'time-slice'],
  graph: ['schema', 'address-counter', 'errors', 'fair-queue', 'json', 'log', 'static', 'time-slice'],
  // A surface of its own, which reads requests as REST does.
  elasticsearch: [
    'rest',
    'schema',
    'auth',
    'entities',
    'records',
    'errors',
    'json',
    'search',
    'time-slice',
    'transaction',
  ],
  // Another surface, beside requests: it counts as they do.
  mqtt: ['rest', 'schema', 'auth', 'entities', 'records', 'errors', 'json', 'log', 'time-slice'],
  csv: [],
  // Files out, which REST streams.
  export: ['csv', 'schema', 'audit', 'auth', 'entities', 'records', 'search', 'errors', 'json', 'time-slice'],
  operator: ['audit', 'auth', 'entities', 'errors'],
  // People sign in by browsers: pages as REST has them.
  'sign-in': ['oidc-setting', 'audit', 'auth', 'entities', 'rest', 'schema', 'errors', 'transaction'],
  // Of database, hooks and records only types.
  tracing: ['config', 'log', 'version', 'rest', 'database', 'hooks', 'records'],
  // It knows tables by the database's own catalogue.
  backup: [],
  // A customer: HTTP is all that it knows of us.
  configuration: [],
  demo: [],
  // The same, beside a broker; packets it reads as the endpoint does.
  bridge: ['mqtt', 'log', 'back-off'],
};

/** A module of that name, be it a folder or a file (`json` is `json.ts` and what it is made of). */
const at = (name) =>
  [
    'entities',
    'audit',
    'sign-in',
    'database',
    'schema',
    'auth',
    'search',
    'records',
    'hooks',
    'alerts',
    'usage',
    'jobs',
    'imports',
    'live',
    'resolvers',
    'rest',
    'graph',
    'elasticsearch',
    'mqtt',
    'export',
    'operator',
    'tracing',
    'backup',
    'configuration',
    'demo',
    'bridge',
  ].includes(name)
    ? `^src/${name}/`
    : `^src/${name}(-reader|-plain|-scan)?\\.ts$`;

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
      from: { path: '^src/', pathNot: '^src/(records/opensearch/|services|connections|command/)' },
      to: { path: '^src/records/opensearch/' },
    },
    keeper('undici', 'hooks/'),
    keeper('nodemailer', 'alerts/mail/transport'),
    keeper('openid-client', 'sign-in/provider'),
    keeper('yaml', 'configuration/document'),
    keeper('@opentelemetry', 'tracing/'),
    keeper('csv-stringify', 'csv'),
    keeper('hyparquet-writer', 'export/parquet'),
    keeper(
      'express',
      'static',
      'tracing/',
      'rest/',
      'graph/',
      'elasticsearch/',
      'sign-in/',
      'admission',
      'app',
      'call',
      'console',
      'metrics',
      'upgrade',
      'warm-up',
    ),
    ...table,
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
