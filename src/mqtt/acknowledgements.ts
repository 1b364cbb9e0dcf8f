/**
 * Answers in the order of their questions, whichever is known first: messages are committed many at a time, and acknowledged
 * as they came (MQTT 5.0, section 4.6).
 */
export class InOrder<Answer> {
  private readonly places: { answer?: Answer; isKnown: boolean }[] = [];

  /** @param give takes each answer when all before it were given */
  constructor(private readonly give: (answer: Answer) => void) {}

  /** Answers that are not given yet. */
  get size(): number {
    return this.places.length;
  }

  /** Takes the next place; what it gives is called with the answer. */
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
