import { parseFailure } from '#search/search-failure.js';
import { atLeast, flag, long, type Read, string } from '#search/syntax/value.js';
import { bucketOrder } from './bucket-order.js';

const collectMode: Read<string> = (input) => {
  const mode = string(input);
  if (mode !== 'depth_first' && mode !== 'breadth_first')
    throw parseFailure(`no [collect_mode] found for value [${mode}]`, input);
  return mode;
};

export const counted = {
  size: atLeast(1),
  shard_size: atLeast(1),
  min_doc_count: atLeast(0, long),
  shard_min_doc_count: atLeast(0, long),
  order: bucketOrder,
  show_term_doc_count_error: flag,
  collect_mode: collectMode,
} as const;
