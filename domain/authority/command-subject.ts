/** What a command to a run is about, where it is about one thing: `gate` where several share a code. */
export interface CommandAbout {
  readonly code?: string;
  readonly gate?: string;
}

/** As its sender signs it: a finding, or a gate as `CODE/GATE`; empty where it is about nothing in particular. */
export function commandSubject({ code = '', gate = '' }: CommandAbout): string {
  return gate === '' ? code : `${code}/${gate}`;
}

/** Whether something that was signed for this subject allows that: a code alone allows each of its gates, as older command lines signed. */
export function isAboutSubject(signed: string, wanted: string): boolean {
  return signed === wanted || (signed !== '' && signed === wanted.split('/')[0]);
}
