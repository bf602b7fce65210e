/** What names and texts are made of. */
type Words = readonly [string, ...string[]];

export const adjectives: Words = [
  ...(['Silent', 'Golden', 'Broken', 'Electric', 'Hollow', 'Crimson', 'Paper', 'Velvet', 'Distant', 'Früh'] as const),
  ...['Wild', 'Second', 'Northern', 'Plastic', 'Sleeping', 'Fällt', 'Salt', 'Amber', 'Restless', 'Blue'],
];

export const nouns: Words = [
  ...(['Harbour', 'Night', 'Meridian', 'Choir', 'Engine', 'Garden', 'Signal', 'River', 'Mirror', 'Été'] as const),
  ...['Parade', 'Antenna', 'Orchard', 'Station', 'Satellite', 'Winter', 'Animal', 'Theatre', 'Lantern', 'Coast'],
];

/** Names outside Latin-1: one of them makes a whole text twice as wide in memory. */
export const otherScripts: Words = [
  ...([
    '月見坂',
    '夜の港',
    '서울의밤',
    'Тихий Берег',
    'Ночной Сад',
    'Φάρος',
    '雨後電台',
    'צליל',
    '小さな灯',
    '달빛정원',
  ] as const),
];

export const genres: Words = [
  'dream pop',
  'drill',
  'électro-folk',
  'amapiano',
  'shoegaze',
  'corrido',
  'hyperpop',
  'afrobeats',
];

export const countries: Words = ['PT', 'JP', 'DE', 'NG', 'MX', 'KR', 'US', 'GB', 'FR', 'ZA'];

export const labels: Words = [
  'Tidemark & Rowe',
  'Early Ferry Music',
  'Korvane',
  'Halmgaard & Søstre',
  'Dovetail Fifteen',
];

export const sentences: Words = [
  'The live show sells out without advertising.',
  'Numbers move after each short video, and stay where they are.',
  'Writes with two producers who have done this before.',
  'Half of the listeners are from two cities.',
  'A first album is recorded and not yet placed.',
];
