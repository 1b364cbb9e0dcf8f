import type { Handle } from './call.js';
import { catCount, catHealth, catIndices, catNothing } from './cat.js';
import { clusterSettings, features, health, info, license, nodes } from './cluster.js';
import { aliases, fieldCaps, fieldMapping, index, mapping, refuseWrite, resolveIndex, settings } from './index-page.js';
import { closePit, openPit } from './pit.js';
import { closeScroll } from './scroll.js';
import { count, getRecord, getSource, multiSearch, scroll, search, validateQuery } from './search.js';

/** Verbs of the routes. HEAD follows from GET. */
export type EngineVerb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A handler with its verbs and paths; `:name` in a path is a parameter. */
export interface EngineRoute {
  readonly verbs: readonly EngineVerb[];
  readonly paths: readonly string[];
  readonly handle: Handle;
  /** Whether it would change records, which a read-only token may not do. */
  readonly changes?: true;
}

/** Returns a path with and without an index before it. */
const anyIndex = (path: string) => [path, `/:index${path}`];

const reads = ['GET', 'POST'] as const;
const get = ['GET'] as const;
const writes = ['POST', 'PUT', 'DELETE'] as const;

/** All served paths of the engines, below the address of an application. */
export const engineRoutes: readonly EngineRoute[] = [
  { verbs: get, paths: ['', '/'], handle: info },
  { verbs: get, paths: ['/_cluster/health', '/_cluster/health/:index'], handle: health },
  { verbs: get, paths: ['/_cluster/settings'], handle: clusterSettings },
  { verbs: get, paths: ['/_nodes', '/_nodes/:filter', '/_nodes/:filter/:metric'], handle: nodes },
  { verbs: get, paths: ['/_license', '/_xpack/license'], handle: license },
  { verbs: get, paths: ['/_xpack'], handle: features },
  { verbs: get, paths: ['/_cat/indices', '/_cat/indices/:index'], handle: catIndices },
  { verbs: get, paths: ['/_cat/health'], handle: catHealth },
  { verbs: get, paths: ['/_cat/count', '/_cat/count/:index'], handle: catCount },
  { verbs: get, paths: ['/_cat/aliases', '/_cat/aliases/:name', '/_cat/plugins'], handle: catNothing },

  { verbs: get, paths: ['/:index'], handle: index },
  { verbs: get, paths: anyIndex('/_mapping'), handle: mapping },
  { verbs: get, paths: anyIndex('/_mapping/field/:fields'), handle: fieldMapping },
  { verbs: get, paths: anyIndex('/_settings'), handle: settings },
  { verbs: get, paths: [...anyIndex('/_alias'), ...anyIndex('/_alias/:name')], handle: aliases },
  { verbs: get, paths: ['/_resolve/index/:index'], handle: resolveIndex },
  { verbs: reads, paths: anyIndex('/_field_caps'), handle: fieldCaps },

  { verbs: reads, paths: anyIndex('/_search'), handle: search },
  { verbs: reads, paths: anyIndex('/_msearch'), handle: multiSearch },
  { verbs: reads, paths: anyIndex('/_count'), handle: count },
  { verbs: reads, paths: anyIndex('/_validate/query'), handle: validateQuery },
  { verbs: get, paths: ['/:index/_doc/:id'], handle: getRecord },
  { verbs: get, paths: ['/:index/_source/:id'], handle: getSource },

  { verbs: reads, paths: ['/_search/scroll', '/_search/scroll/:id'], handle: scroll },
  { verbs: ['DELETE'], paths: ['/_search/scroll', '/_search/scroll/:id'], handle: closeScroll },
  { verbs: ['POST'], paths: ['/:index/_pit', '/:index/_search/point_in_time'], handle: openPit },
  { verbs: ['DELETE'], paths: ['/_pit', '/_search/point_in_time'], handle: closePit },

  { verbs: ['PUT', 'DELETE'], paths: ['/:index'], handle: refuseWrite, changes: true },
  { verbs: ['POST', 'PUT'], paths: anyIndex('/_bulk'), handle: refuseWrite, changes: true },
  { verbs: ['POST'], paths: ['/:index/_doc'], handle: refuseWrite, changes: true },
  { verbs: writes, paths: ['/:index/_doc/:id'], handle: refuseWrite, changes: true },
  { verbs: ['POST', 'PUT'], paths: ['/:index/_create/:id'], handle: refuseWrite, changes: true },
  {
    verbs: ['POST'],
    paths: ['/:index/_update/:id', '/:index/_update_by_query', '/:index/_delete_by_query'],
    handle: refuseWrite,
    changes: true,
  },
  { verbs: ['POST', 'PUT'], paths: ['/:index/_mapping', '/:index/_settings'], handle: refuseWrite, changes: true },
];
