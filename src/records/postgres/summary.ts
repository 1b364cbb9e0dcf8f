/** Slots of numbers whose measures a summary keeps: those of the first variables of a product. */
export const maxMeasured = 64;

/** What a summary keeps of the numbers of one slot, in this order: count, sum, minimum, maximum, sum of squares. */
export const measureCount = 5;

/** Slots of numbers and of texts of which digests and sketches are kept: those of the first variables of a product. */
export const maxDigested = 12;

/** Up to so many different values a sketch tells exactly: as many as the engines' unless told otherwise (`precision_threshold`). */
export const exactValues = 3000;
