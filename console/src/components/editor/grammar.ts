/**
 * Words that the editor suggests at each position of a query. The editor does not check the query; the service does.
 */

/** Keys of a query. */
export const queryKeys =
  'query aggs size from sort search_after includes _source fields track_total_hits post_filter timeout'.split(' ');

/** Clauses that contain other clauses. */
export const compoundKeys = 'must filter should must_not'.split(' ');

/** Clauses, as the value of `query` and inside compound clauses. */
export const clauses =
  'match_all match_none bool term terms range exists ids constant_score prefix wildcard regexp match multi_match query_string simple_query_string geo_distance geo_bounding_box dis_max'.split(
    ' ',
  );

/** Clauses whose keys are fields. */
export const fieldClauses = new Set(
  'term terms range prefix wildcard regexp match match_phrase geo_distance geo_bounding_box'.split(' '),
);

/** Keys of a range. */
export const rangeKeys = 'gt gte lt lte format time_zone'.split(' ');

/** Kinds of bucket and metric aggregations. */
export const aggregations =
  'terms date_histogram auto_date_histogram histogram range date_range filter filters missing global composite multi_terms rare_terms geohash_grid geotile_grid avg sum min max value_count stats extended_stats cardinality percentiles percentile_ranks median_absolute_deviation weighted_avg top_hits top_metrics geo_bounds geo_centroid derivative cumulative_sum moving_fn bucket_script bucket_selector bucket_sort aggs'.split(
    ' ',
  );

/** Keys of an aggregation's body. */
export const aggregationKeys =
  'field fixed_interval calendar_interval time_zone interval size order missing min_doc_count extended_bounds ranges percents sources offset buckets'.split(
    ' ',
  );
