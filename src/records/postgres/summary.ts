/** Maximum slot number of numbers whose measures a summary holds: the first variables of a product. */
export const maxMeasured = 64;

/** Number of measures of one slot in a summary: count, sum, minimum, maximum, sum of squares, in this order. */
export const measureCount = 5;

/** Maximum slot number of numbers and texts with digests and sketches: the first variables of a product. */
export const maxDigested = 12;

/** Number of different values up to which a sketch is exact: the engines' default `precision_threshold`. */
export const exactValues = 3000;
