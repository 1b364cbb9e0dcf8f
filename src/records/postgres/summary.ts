/** Slots of numbers whose measures a summary keeps: those of the first variables of a product. */
export const maxMeasured = 64;

/** What a summary keeps of the numbers of one slot, in this order: count, sum, minimum, maximum, sum of squares. */
export const measureCount = 5;

/** Slots of numbers of which digests are kept: those of the first variables of a product. */
export const maxDigested = 12;
