import { beforeAll } from '@jest/globals';
import { testGuide, useGuide } from './guide.js';

const guide = useGuide();

// The page creates its own application.
beforeAll(() => void guide.variables.delete('APPLICATION'));

testGuide(
  'docs/graphql.md',
  {
    skipped: {
      'curl -N': 'a stream that stays open; test/live/document.test.ts runs it',
      'graphql-ws': 'a stream that stays open; test/live/document.test.ts runs it',
      'npm install': 'asks the registry of npm',
      'codegen.ts': 'is read by GraphQL Code Generator; npm run docs makes documents.ts with these settings',
    },
  },
  guide,
);
