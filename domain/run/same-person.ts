/** Directories and mail systems compare names case-insensitively. */
export function isSamePerson(one: string, other: string): boolean {
  return foldedPerson(one) === foldedPerson(other);
}

/** By which a person is looked up among many. */
export function foldedPerson(name: string): string {
  return name.trim().toLowerCase();
}

/** Whether a person is one of those who are named; null names anyone. */
export function isAmong(people: readonly string[] | null, name: string): boolean {
  return people === null || people.some((each) => isSamePerson(each, name));
}
