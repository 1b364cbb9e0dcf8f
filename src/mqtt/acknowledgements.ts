/**
 * Gives answers in the order of their questions, whichever is known first. Messages are committed in batches, but must
 * be acknowledged in the order of arrival (MQTT 5.0, section 4.6).
 */
export class InOrder<Answer> {
  private readonly places: { answer?: Answer; isKnown: boolean }[] = [];

  /** @param give called with each answer once all answers before it were given */
  constructor(private readonly give: (answer: Answer) => void) {}

  /** Number of answers that are not given yet. */
  get size(): number {
    return this.places.length;
  }

  /** Reserves the next place. The returned function takes the answer. */
  open(): (answer: Answer) => void {
    const place: { answer?: Answer; isKnown: boolean } = { isKnown: false };
    this.places.push(place);
    return (answer) => {
      place.answer = answer;
      place.isKnown = true;
      while (this.places[0]?.isKnown) this.give(this.places.shift()!.answer!);
    };
  }
}
