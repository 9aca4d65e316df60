/** Airports as they are: IATA's code, the country's (ISO 3166-1 alpha-3), the name. */
const lines = `
ZRH CHE Zürich Airport
GVA CHE Geneva Airport
BSL FRA EuroAirport Basel Mulhouse Freiburg
CDG FRA Paris Charles de Gaulle Airport
ORY FRA Paris Orly Airport
NCE FRA Nice Côte d'Azur Airport
LYS FRA Lyon–Saint-Exupéry Airport
MRS FRA Marseille Provence Airport
LHR GBR London Heathrow Airport
LGW GBR London Gatwick Airport
STN GBR London Stansted Airport
LTN GBR London Luton Airport
LCY GBR London City Airport
MAN GBR Manchester Airport
EDI GBR Edinburgh Airport
BFS GBR Belfast International Airport
IOM IMN Isle of Man Airport
JER JEY Jersey Airport
GCI GGY Guernsey Airport
DUB IRL Dublin Airport
SNN IRL Shannon Airport
ORK IRL Cork Airport
FRA DEU Frankfurt Airport
MUC DEU Munich Airport
BER DEU Berlin Brandenburg Airport
HAM DEU Hamburg Airport
DUS DEU Düsseldorf Airport
VIE AUT Vienna International Airport
INN AUT Innsbruck Airport
SZG AUT Salzburg Airport
AMS NLD Amsterdam Airport Schiphol
RTM NLD Rotterdam The Hague Airport
BRU BEL Brussels Airport
CRL BEL Brussels South Charleroi Airport
LUX LUX Luxembourg Airport
MAD ESP Adolfo Suárez Madrid–Barajas Airport
BCN ESP Josep Tarradellas Barcelona–El Prat Airport
AGP ESP Málaga Airport
PMI ESP Palma de Mallorca Airport
LIS PRT Lisbon Airport
OPO PRT Porto Airport
FNC PRT Madeira Airport
FCO ITA Leonardo da Vinci–Fiumicino Airport
MXP ITA Milan Malpensa Airport
LIN ITA Milan Linate Airport
VCE ITA Venice Marco Polo Airport
NAP ITA Naples International Airport
ATH GRC Athens International Airport
SKG GRC Thessaloniki Airport
MLA MLT Malta International Airport
LCA CYP Larnaca International Airport
CPH DNK Copenhagen Airport
BLL DNK Billund Airport
OSL NOR Oslo Airport, Gardermoen
BGO NOR Bergen Airport, Flesland
TOS NOR Tromsø Airport
LYR SJM Svalbard Airport, Longyear
ARN SWE Stockholm Arlanda Airport
GOT SWE Göteborg Landvetter Airport
HEL FIN Helsinki Airport
RVN FIN Rovaniemi Airport
KEF ISL Keflavík International Airport
RKV ISL Reykjavík Airport
FAE FRO Vágar Airport
GOH GRL Nuuk Airport
TLL EST Tallinn Airport
RIX LVA Riga International Airport
VNO LTU Vilnius Airport
WAW POL Warsaw Chopin Airport
KRK POL Kraków John Paul II International Airport
PRG CZE Václav Havel Airport Prague
BTS SVK Bratislava Airport
BUD HUN Budapest Ferenc Liszt International Airport
OTP ROU Henri Coandă International Airport
SOF BGR Sofia Airport
BEG SRB Belgrade Nikola Tesla Airport
ZAG HRV Zagreb Airport
DBV HRV Dubrovnik Airport
LJU SVN Ljubljana Jože Pučnik Airport
SJJ BIH Sarajevo International Airport
TGD MNE Podgorica Airport
SKP MKD Skopje International Airport
TIA ALB Tirana International Airport
IST TUR Istanbul Airport
ESB TUR Ankara Esenboğa Airport
KBP UKR Boryspil International Airport
SVO RUS Sheremetyevo International Airport
LED RUS Pulkovo Airport
TBS GEO Tbilisi International Airport
EVN ARM Zvartnots International Airport
GYD AZE Heydar Aliyev International Airport
TLV ISR Ben Gurion Airport
AMM JOR Queen Alia International Airport
BEY LBN Beirut–Rafic Hariri International Airport
CAI EGY Cairo International Airport
DXB ARE Dubai International Airport
AUH ARE Zayed International Airport
DOH QAT Hamad International Airport
RUH SAU King Khalid International Airport
JED SAU King Abdulaziz International Airport
MCT OMN Muscat International Airport
IKA IRN Tehran Imam Khomeini International Airport
DEL IND Indira Gandhi International Airport
BOM IND Chhatrapati Shivaji Maharaj International Airport
BLR IND Kempegowda International Airport
KTM NPL Tribhuvan International Airport
PBH BTN Paro International Airport
CMB LKA Bandaranaike International Airport
MLE MDV Velana International Airport
DAC BGD Hazrat Shahjalal International Airport
BKK THA Suvarnabhumi Airport
DMK THA Don Mueang International Airport
SIN SGP Singapore Changi Airport
KUL MYS Kuala Lumpur International Airport
CGK IDN Soekarno–Hatta International Airport
DPS IDN Ngurah Rai International Airport
MNL PHL Ninoy Aquino International Airport
HAN VNM Noi Bai International Airport
SGN VNM Tan Son Nhat International Airport
HKG HKG Hong Kong International Airport
PEK CHN Beijing Capital International Airport
PVG CHN Shanghai Pudong International Airport
TPE TWN Taiwan Taoyuan International Airport
ICN KOR Incheon International Airport
GMP KOR Gimpo International Airport
HND JPN Haneda Airport
NRT JPN Narita International Airport
KIX JPN Kansai International Airport
SYD AUS Sydney Kingsford Smith Airport
MEL AUS Melbourne Airport
PER AUS Perth Airport
AKL NZL Auckland Airport
WLG NZL Wellington Airport
CHC NZL Christchurch Airport
NAN FJI Nadi International Airport
POM PNG Port Moresby Jacksons International Airport
PPT PYF Faa'a International Airport
JFK USA John F. Kennedy International Airport
LGA USA LaGuardia Airport
EWR USA Newark Liberty International Airport
BOS USA Logan International Airport
IAD USA Washington Dulles International Airport
DCA USA Ronald Reagan Washington National Airport
ATL USA Hartsfield–Jackson Atlanta International Airport
ORD USA O'Hare International Airport
DFW USA Dallas Fort Worth International Airport
DEN USA Denver International Airport
LAX USA Los Angeles International Airport
SFO USA San Francisco International Airport
SEA USA Seattle–Tacoma International Airport
MIA USA Miami International Airport
ANC USA Ted Stevens Anchorage International Airport
YYZ CAN Toronto Pearson International Airport
YVR CAN Vancouver International Airport
YUL CAN Montréal–Trudeau International Airport
MEX MEX Mexico City International Airport
CUN MEX Cancún International Airport
GUA GTM La Aurora International Airport
SJO CRI Juan Santamaría International Airport
PTY PAN Tocumen International Airport
HAV CUB José Martí International Airport
KIN JAM Norman Manley International Airport
PUJ DOM Punta Cana International Airport
SJU PRI Luis Muñoz Marín International Airport
BOG COL El Dorado International Airport
UIO ECU Mariscal Sucre International Airport
LIM PER Jorge Chávez International Airport
CUZ PER Alejandro Velasco Astete International Airport
LPB BOL El Alto International Airport
SCL CHL Arturo Merino Benítez International Airport
EZE ARG Ministro Pistarini International Airport
GRU BRA São Paulo–Guarulhos International Airport
GIG BRA Rio de Janeiro–Galeão International Airport
MVD URY Carrasco International Airport
GEO GUY Cheddi Jagan International Airport
CAY GUF Cayenne – Félix Eboué Airport
CMN MAR Mohammed V International Airport
ALG DZA Houari Boumediene Airport
TUN TUN Tunis–Carthage International Airport
DSS SEN Blaise Diagne International Airport
ACC GHA Kotoka International Airport
LOS NGA Murtala Muhammed International Airport
ADD ETH Addis Ababa Bole International Airport
NBO KEN Jomo Kenyatta International Airport
EBB UGA Entebbe International Airport
KGL RWA Kigali International Airport
DAR TZA Julius Nyerere International Airport
JNB ZAF O. R. Tambo International Airport
CPT ZAF Cape Town International Airport
WDH NAM Hosea Kutako International Airport
MRU MUS Sir Seewoosagur Ramgoolam International Airport
SEZ SYC Seychelles International Airport
TNR MDG Ivato International Airport
HLE SHN Saint Helena Airport`;

export interface AirportRow {
  iata: string;
  country: string;
  name: string;
}

export const airports: AirportRow[] = lines
  .trim()
  .split('\n')
  .map((line) => ({ iata: line.slice(0, 3), country: line.slice(4, 7), name: line.slice(8) }));
