import { simpleMetric } from './option/simple-metric.js';

export const stats = simpleMetric('stats');
