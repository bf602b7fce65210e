export const adjectives =
  'Silent Golden Broken Electric Hollow Crimson Paper Velvet Distant Früh Wild Second Northern Plastic Sleeping Fällt Salt Amber Restless Blue'.split(
    ' ',
  );

export const nouns =
  'Harbour Night Meridian Choir Engine Garden Signal River Mirror Été Parade Antenna Orchard Station Satellite Winter Animal Theatre Lantern Coast'.split(
    ' ',
  );

/** Names outside Latin-1. One of them doubles the memory of a text. */
export const otherScripts = [
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
];

export const genres = [
  'dream pop',
  'drill',
  'électro-folk',
  'amapiano',
  'shoegaze',
  'corrido',
  'hyperpop',
  'afrobeats',
];

export const tiers = ['watch', 'on-the-rise', 'breaking', 'established'];

export const countries = ['PT', 'JP', 'DE', 'NG', 'MX', 'KR', 'US', 'GB', 'FR', 'ZA'];

export const labels = [
  'Tidemark & Rowe',
  'Early Ferry Music',
  'Korvane',
  'Halmgaard & Søstre',
  'Dovetail Fifteen',
];

export const sentences = [
  'The live show sells out without advertising.',
  'Numbers move after each short video, and stay where they are.',
  'Writes with two producers who have done this before.',
  'Half of the listeners are from two cities.',
  'A first album is recorded and not yet placed.',
];
