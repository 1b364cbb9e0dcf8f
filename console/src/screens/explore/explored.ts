import type { ExploreQuery } from '../../api/documents.js';

/** The explored application. */
export type Explored = NonNullable<ExploreQuery['chosen']>['items'][number];
