import { describeProperties } from './configuration-property.js';

describeProperties({ seed: 51, runs: 2 });
