import type { GraphQLSchema } from 'graphql';
import type { Tool } from './tool.js';
import { alertRules } from './tools/alert-rules.js';
import { findDevices } from './tools/find-devices.js';
import { graphqlQuery } from './tools/graphql-query.js';
import { hookHealth } from './tools/hook-health.js';
import { latestValues } from './tools/latest-values.js';
import { openAlerts } from './tools/open-alerts.js';
import { createSchemaSearch } from './tools/schema-search.js';
import { searchRecords } from './tools/search-records.js';
import { series } from './tools/series.js';

/** Lists the tools. The list is the same for every caller and never changes while the service runs. */
export const createTools = (schema: GraphQLSchema): readonly Tool[] => [
  findDevices,
  latestValues,
  series,
  searchRecords,
  hookHealth,
  openAlerts,
  alertRules,
  createSchemaSearch(schema),
  graphqlQuery,
];
