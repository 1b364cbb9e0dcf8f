import { describeProperties } from '../configuration-property.js';

describeProperties({ seed: 5101, runs: 25 });
