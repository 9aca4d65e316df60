/** The chemical elements in the order of their numbers: symbol, the block's letter, name, other names. */
const lines = `
H s Hydrogen
He s Helium
Li s Lithium
Be s Beryllium
B p Boron
C p Carbon
N p Nitrogen
O p Oxygen
F p Fluorine
Ne p Neon
Na s Sodium,Natrium
Mg s Magnesium
Al p Aluminium,Aluminum
Si p Silicon
P p Phosphorus
S p Sulfur,Sulphur
Cl p Chlorine
Ar p Argon
K s Potassium,Kalium
Ca s Calcium
Sc d Scandium
Ti d Titanium
V d Vanadium
Cr d Chromium
Mn d Manganese
Fe d Iron,Ferrum
Co d Cobalt
Ni d Nickel
Cu d Copper,Cuprum
Zn d Zinc
Ga p Gallium
Ge p Germanium
As p Arsenic
Se p Selenium
Br p Bromine
Kr p Krypton
Rb s Rubidium
Sr s Strontium
Y d Yttrium
Zr d Zirconium
Nb d Niobium
Mo d Molybdenum
Tc d Technetium
Ru d Ruthenium
Rh d Rhodium
Pd d Palladium
Ag d Silver,Argentum
Cd d Cadmium
In p Indium
Sn p Tin,Stannum
Sb p Antimony,Stibium
Te p Tellurium
I p Iodine
Xe p Xenon
Cs s Caesium,Cesium
Ba s Barium
La f Lanthanum
Ce f Cerium
Pr f Praseodymium
Nd f Neodymium
Pm f Promethium
Sm f Samarium
Eu f Europium
Gd f Gadolinium
Tb f Terbium
Dy f Dysprosium
Ho f Holmium
Er f Erbium
Tm f Thulium
Yb f Ytterbium
Lu d Lutetium
Hf d Hafnium
Ta d Tantalum
W d Tungsten,Wolfram
Re d Rhenium
Os d Osmium
Ir d Iridium
Pt d Platinum
Au d Gold,Aurum
Hg d Mercury,Hydrargyrum
Tl p Thallium
Pb p Lead,Plumbum
Bi p Bismuth
Po p Polonium
At p Astatine
Rn p Radon
Fr s Francium
Ra s Radium
Ac f Actinium
Th f Thorium
Pa f Protactinium
U f Uranium
Np f Neptunium
Pu f Plutonium
Am f Americium
Cm f Curium
Bk f Berkelium
Cf f Californium
Es f Einsteinium
Fm f Fermium
Md f Mendelevium
No f Nobelium
Lr d Lawrencium
Rf d Rutherfordium
Db d Dubnium
Sg d Seaborgium
Bh d Bohrium
Hs d Hassium
Mt d Meitnerium
Ds d Darmstadtium
Rg d Roentgenium
Cn d Copernicium
Nh p Nihonium
Fl p Flerovium
Mc p Moscovium
Lv p Livermorium
Ts p Tennessine
Og p Oganesson`;

export interface ElementRow {
  symbol: string;
  block: string;
  name: string;
  /** Other spellings, and the Latin name. */
  otherNames: string[];
  atomicNumber: number;
}

export const elements: ElementRow[] = lines
  .trim()
  .split('\n')
  .map((line, index) => {
    const [symbol = '', block = '', names = ''] = line.split(' ');
    const [name = '', ...otherNames] = names.split(',');
    return { symbol, block, name, otherNames, atomicNumber: index + 1 };
  });
