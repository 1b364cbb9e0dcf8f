import type { Aggregation } from '#search/aggregation/aggregation.js';
import type { PipelineAggregation } from '#search/aggregation/pipeline/pipeline.js';
import type { Field } from '#search/field/field.js';

type Kind = Exclude<Aggregation, PipelineAggregation>['kind'];

/**
 * The engines' class of a non-numeric answer, by the kind of its aggregation. Metrics with several numbers have none.
 */
const classes: Readonly<Partial<Record<Kind, string>>> = {
  multi_terms: 'InternalMultiTerms',
  date_histogram: 'InternalDateHistogram',
  auto_date_histogram: 'InternalAutoDateHistogram',
  histogram: 'InternalHistogram',
  range: 'InternalRange',
  date_range: 'InternalDateRange',
  geo_distance: 'InternalGeoDistance',
  geohash_grid: 'InternalGeoHashGrid',
  geotile_grid: 'InternalGeoTileGrid',
  filters: 'InternalFilters',
  filter: 'InternalFilter',
  missing: 'InternalMissing',
  top_hits: 'InternalTopHits',
  geo_bounds: 'InternalGeoBounds',
  geo_centroid: 'InternalGeoCentroid',
};

const termClasses: Readonly<Partial<Record<Field['kind'], string>>> = {
  keyword: 'String',
  double: 'Double',
  long: 'Long',
  boolean: 'Long',
  date: 'Long',
};

/**
 * Returns the engines' class of an answer.
 * @param keyKind kind of the keys of terms; undefined if no record has their field
 */
export const engineClass = (kind: Kind, keyKind: Field['kind'] | undefined): string | undefined => {
  const prefix = (keyKind && termClasses[keyKind]) ?? 'Unmapped';
  if (kind === 'terms') return `${prefix}Terms`;
  return kind === 'rare_terms' ? `${prefix}RareTerms` : classes[kind];
};
