import { availableParallelism } from 'node:os';

/**
 * Tests run compiled, against a real PostgreSQL that `test/support` prepares. docs/testing.md says which script runs which
 * projects. The project `postgres` is every area, without the folders named `slow`; `slow` is these folders. `blocks` runs
 * searches once more, with their records in blocks, and `frozen` what reads records, with days that are over in blocks
 * alone. `cluster` runs the
 * tests that hold for every store of records, with the records' index on the OpenSearch cluster at OPENSEARCH_URL, and
 * the tests of that index; `faults` kills nodes of a cluster that it starts. `ops` runs the proxies and rules of ops/ with the programs in the folder OPS_TOOLS (scripts/ops-tools.sh).
 * `compatibility` needs the packages of test/compatibility. `chaos` has the faults of docs/reliability.md: as long as they
 * are there with CHAOS=full, else shorter.
 */
const project = {
  roots: ['<rootDir>/dist/test'],
  transform: {},
  testRunner: '<rootDir>/dist/test/support/runner.js',
  testEnvironment: 'node',
  injectGlobals: false,
  globalSetup: '<rootDir>/dist/test/support/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/support/global-teardown.js',
};

/** What holds for every store of records, by path below `test`. */
const shared = [
  'alerts/preview',
  'docs/{elasticsearch,search}',
  'elasticsearch/*',
  'export/{export,format}',
  'graph/{device-filter,record,series,panel}',
  'live/record',
  'records/{ingest,network-server,repeated-key}',
  'records/contract/*',
  'records/sources/*',
  'records/series/{,slow/}series',
  'search/{difference,double,hostile,long-sort,newest,older-type,product-scope,recorded,rest,trap}',
];

/** What reads records, without tests that write tables behind the service's back, or wait for less than half a minute. */
const frozen = [
  ...shared,
  'alerts/!(undecided)',
  'export/!(names)',
  'imports/*',
  'live/*',
  'search/{dotted-name,page,pipeline-order,oracle/oracle}',
];

const clusterTests = process.env.OPENSEARCH_URL ? [...shared, 'cluster/*'] : ['cluster/absent'];

export default {
  // Tests often wait: for a deadline, a browser, a process. Three workers use two processors better than two.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // A worker keeps something of every file that it runs: past some hundred it would be out of memory, and is slow long before.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 120_000,
  testSequencer: '<rootDir>/dist/test/support/sequencer.js',
  projects: [
    {
      ...project,
      displayName: 'postgres',
      testMatch: ['<rootDir>/dist/test/**/*.test.js'],
      testPathIgnorePatterns: ['<rootDir>/dist/test/(chaos|cluster|compatibility|ops)/', '/slow/'],
    },
    {
      ...project,
      displayName: 'slow',
      testMatch: ['<rootDir>/dist/test/**/slow/*.test.js'],
    },
    {
      ...project,
      displayName: 'cluster',
      globals: { recordIndex: 'opensearch' },
      testMatch: clusterTests.map((path) => `<rootDir>/dist/test/${path}.test.js`),
    },
    {
      ...project,
      displayName: 'blocks',
      globals: { recordBlocks: true },
      testMatch: [
        '<rootDir>/dist/test/search/{difference,double,long-sort,older-type,recorded,rest,trap,oracle/oracle}.test.js',
      ],
    },
    {
      ...project,
      displayName: 'frozen',
      globals: { recordBlocks: 'frozen' },
      testMatch: frozen.map((path) => `<rootDir>/dist/test/${path}.test.js`),
    },
    {
      ...project,
      displayName: 'faults',
      testMatch: ['<rootDir>/dist/test/cluster/faults/*.test.js'],
    },
    { ...project, displayName: 'ops', testMatch: ['<rootDir>/dist/test/ops/*.test.js'] },
    { ...project, displayName: 'compatibility', testMatch: ['<rootDir>/dist/test/compatibility/*.test.js'] },
    { ...project, displayName: 'chaos', testMatch: ['<rootDir>/dist/test/chaos/*.test.js'] },
  ],
};
