/** A transition of a state machine: the states that it starts from and the one that it leads to. */
export interface Transition<State extends string> {
  readonly from: readonly State[];
  readonly to: State;
}

/** The state machine of a row: every transition by its name. A statement takes both sides from here, so that it changes no row in another state. */
export type Transitions<State extends string> = Readonly<Record<string, Transition<State>>>;

/** The states to which a transition leads from `From`: a value of another state does not compile. */
export type StatesAfter<Of extends Transitions<string>, From extends string> = {
  [Name in keyof Of]: From extends Of[Name]['from'][number] ? Of[Name]['to'] : never;
}[keyof Of];

/** Returns the states from which a transition leads to this one. */
export const statesBefore = <State extends string>(transitions: Transitions<State>, to: State): readonly State[] => [
  ...new Set(Object.values(transitions).flatMap((each) => (each.to === to ? each.from : []))),
];
