import type { ExploreQuery } from '../../documents.js';

/** The explored application. */
export type Explored = NonNullable<ExploreQuery['chosen']>['items'][number];
