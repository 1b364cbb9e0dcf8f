import { testGuide } from './guide.js';

testGuide('docs/import.md');
