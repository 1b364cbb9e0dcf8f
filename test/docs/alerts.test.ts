import { testGuide } from './guide.js';

testGuide('docs/alerts.md');
