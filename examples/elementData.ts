/** Symbol, name, number, block, melting point in kelvin by the handbook; what the student measured, where it did. */
export const elementData: [string, string, number, string, number, number?][] = [
  ['Na', 'Sodium', 11, 's', 370.9, 371],
  ['Mg', 'Magnesium', 12, 's', 923],
  ['Al', 'Aluminium', 13, 'p', 933.5, 930],
  ['Ti', 'Titanium', 22, 'd', 1941],
  ['Cr', 'Chromium', 24, 'd', 2180],
  ['Fe', 'Iron', 26, 'd', 1811, 1790],
  ['Co', 'Cobalt', 27, 'd', 1768],
  ['Ni', 'Nickel', 28, 'd', 1728],
  ['Cu', 'Copper', 29, 'd', 1357.8, 1360],
  ['Ag', 'Silver', 47, 'd', 1234.9],
  ['Sn', 'Tin', 50, 'p', 505.1, 505],
  ['W', 'Tungsten', 74, 'd', 3695],
  ['Au', 'Gold', 79, 'd', 1337.3],
  ['Pb', 'Lead', 82, 'p', 600.6],
  ['U', 'Uranium', 92, 'f', 1405.3],
];
