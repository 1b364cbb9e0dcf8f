/** Tests run compiled, against a real PostgreSQL that `test/support` prepares. */
export default {
  testMatch: ['<rootDir>/dist/test/**/*.test.js'],
  transform: {},
  testEnvironment: 'node',
  globalSetup: '<rootDir>/dist/test/support/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/support/global-teardown.js',
  maxWorkers: '100%',
  testTimeout: 60_000,
};
