import { testGuide } from './guide.js';

testGuide('docs/rest.md');
