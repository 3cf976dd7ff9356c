"""Everyday sentences that our program makes, in the languages whose catalogs lack them.

A frame with slots, and the words that fill a slot: the same in each language, so that every
sentence is a translation of the others. Case endings are left out where a slot would need them;
the table sees pieces, not grammar. None of the phrases that languages are measured with is here.
"""

import random

# ruff: noqa: E501, RUF001 - one meaning a line, and Russian looks like Latin

LANGUAGES = ("en", "ar", "ko", "ru")
COUNT = 6000

SLOTS = {
    "who": """my sister|أختي|제 여동생|моя сестра
my brother|أخي|제 남동생|мой брат
my mother|أمي|우리 엄마|моя мама
my father|أبي|우리 아빠|мой папа
my friend|صديقي|제 친구|мой друг
my neighbour|جاري|이웃|мой сосед
my wife|زوجتي|제 아내|моя жена
my husband|زوجي|제 남편|мой муж
my daughter|ابنتي|제 딸|моя дочь
my son|ابني|제 아들|мой сын
my grandmother|جدتي|우리 할머니|моя бабушка
my uncle|عمي|우리 삼촌|мой дядя
my colleague|زميلي في العمل|제 동료|мой коллега
the teacher|المعلم|선생님|учитель
the doctor|الطبيب|의사|врач
the children|الأطفال|아이들|дети
our boss|مديرنا|우리 사장님|наш начальник
a cousin of mine|ابن عمي|제 사촌|мой двоюродный брат
my girlfriend|صديقتي|제 여자친구|моя девушка
my grandfather|جدي|우리 할아버지|мой дедушка""",
    "where": """to the market|إلى السوق|시장에|на рынок
to the beach|إلى الشاطئ|바닷가에|на пляж
to school|إلى المدرسة|학교에|в школу
to the hospital|إلى المستشفى|병원에|в больницу
to the restaurant|إلى المطعم|식당에|в ресторан
to the airport|إلى المطار|공항에|в аэропорт
to the library|إلى المكتبة|도서관에|в библиотеку
to the village|إلى القرية|시골 마을에|в деревню
to the mountains|إلى الجبال|산에|в горы
to the office|إلى المكتب|사무실에|в офис
to the cinema|إلى السينما|영화관에|в кино
to the park|إلى الحديقة|공원에|в парк
to the dentist|إلى طبيب الأسنان|치과에|к зубному врачу
to the train station|إلى محطة القطار|기차역에|на вокзал
to the wedding|إلى حفل الزفاف|결혼식에|на свадьбу
to the gym|إلى النادي الرياضي|헬스장에|в спортзал
to the bank|إلى البنك|은행에|в банк
to the museum|إلى المتحف|박물관에|в музей
abroad|إلى الخارج|해외에|за границу
home|إلى البيت|집에|домой""",
    "when": """yesterday|أمس|어제|вчера
today|اليوم|오늘|сегодня
tomorrow|غدا|내일|завтра
last week|الأسبوع الماضي|지난주|на прошлой неделе
next month|الشهر القادم|다음 달|в следующем месяце
two years ago|قبل سنتين|이 년 전|два года назад
in the morning|في الصباح|아침|утром
in the evening|في المساء|저녁|вечером
at the weekend|في عطلة نهاية الأسبوع|주말|в выходные
on Friday|يوم الجمعة|금요일|в пятницу
on Monday|يوم الاثنين|월요일|в понедельник
in summer|في الصيف|여름|летом
in winter|في الشتاء|겨울|зимой
every day|كل يوم|매일|каждый день
never|أبدا|절대|никогда
sometimes|أحيانا|가끔|иногда
tonight|الليلة|오늘 밤|сегодня ночью
at noon|عند الظهر|정오|в полдень
since my childhood|منذ طفولتي|어릴 때부터|с детства
three days ago|قبل ثلاثة أيام|사흘 전|три дня назад""",
    "food": """coffee|القهوة|커피|кофе
tea|الشاي|차|чай
bread|الخبز|빵|хлеб
rice|الأرز|밥|рис
fish|السمك|생선|рыба
chicken|الدجاج|닭고기|курица
soup|الحساء|국|суп
milk|الحليب|우유|молоко
fruit|الفواكه|과일|фрукты
vegetables|الخضار|채소|овощи
meat|اللحم|고기|мясо
eggs|البيض|계란|яйца
cheese|الجبن|치즈|сыр
sugar|السكر|설탕|сахар
nuts|المكسرات|견과류|орехи
cake|الكعك|케이크|торт
an apple|تفاحة|사과|яблоко
water|الماء|물|вода
chocolate|الشوكولاتة|초콜릿|шоколад
salad|السلطة|샐러드|салат""",
    "thing": """a new car|سيارة جديدة|새 차|новая машина
a phone|هاتف|휴대폰|телефон
a book|كتاب|책|книга
the key|المفتاح|열쇠|ключ
a bicycle|دراجة|자전거|велосипед
a house|بيت|집|дом
a flat|شقة|아파트|квартира
a gift|هدية|선물|подарок
shoes|حذاء|신발|обувь
a computer|حاسوب|컴퓨터|компьютер
the wallet|المحفظة|지갑|кошелёк
a ticket|تذكرة|표|билет
a dress|فستان|원피스|платье
glasses|نظارات|안경|очки
medicine|دواء|약|лекарство
an umbrella|مظلة|우산|зонт
a letter|رسالة|편지|письмо
money|مال|돈|деньги
a cat|قطة|고양이|кошка
a dog|كلب|개|собака
a camera|كاميرا|카메라|камера
a guitar|غيتار|기타|гитара
flowers|زهور|꽃|цветы
a window|نافذة|창문|окно
a door|باب|문|дверь""",
    "do": """reading|القراءة|독서|чтение
swimming|السباحة|수영|плавание
cooking|الطبخ|요리|готовить
singing|الغناء|노래|петь
running|الجري|달리기|бегать
drawing|الرسم|그림 그리기|рисовать
dancing|الرقص|춤|танцевать
travelling|السفر|여행|путешествовать
fishing|صيد السمك|낚시|рыбалка
playing football|لعب كرة القدم|축구|играть в футбол
playing the piano|العزف على البيانو|피아노 치기|играть на пианино
gardening|البستنة|정원 가꾸기|садоводство
learning languages|تعلم اللغات|언어 배우기|учить языки
watching films|مشاهدة الأفلام|영화 보기|смотреть фильмы
sleeping|النوم|잠자기|спать
driving|قيادة السيارة|운전|водить машину
hiking|المشي في الجبال|등산|ходить в походы
photography|التصوير|사진 찍기|фотография""",
    "job": """nurse|ممرضة|간호사|медсестра
engineer|مهندس|엔지니어|инженер
lawyer|محام|변호사|юрист
student|طالب|학생|студент
cook|طباخ|요리사|повар
driver|سائق|운전사|водитель
writer|كاتب|작가|писатель
farmer|مزارع|농부|фермер
programmer|مبرمج|프로그래머|программист
baker|خباز|제빵사|пекарь
musician|موسيقي|음악가|музыкант
accountant|محاسب|회계사|бухгалтер""",
    "feel": """happy|سعيد|행복해요|счастлив
sad|حزين|슬퍼요|грустный
tired|متعب|피곤해요|устал
ill|مريض|아파요|болен
angry|غاضب|화났어요|злой
afraid|خائف|무서워요|боится
hungry|جائع|배고파요|голоден
busy|مشغول|바빠요|занят
worried|قلق|걱정돼요|волнуется
bored|يشعر بالملل|지루해요|скучает
late|متأخر|늦었어요|опаздывает
ready|جاهز|준비됐어요|готов""",
}
FRAMES = """{who} went {where} {when}|ذهب {who} {where} {when}|{when} {who} {where} 갔어요|{who} ездил {where} {when}
I am going {where} {when} with {who}|سأذهب {where} {when} مع {who}|{when} {who} 함께 {where} 가요|я иду {where} {when}, со мной {who}
I bought {thing} {when}|اشتريت {thing} {when}|{when} {thing} 샀어요|я купил {thing} {when}
{who} lost {thing} {when}|فقد {who} {thing} {when}|{when} {who} {thing} 잃어버렸어요|{who} потерял {thing} {when}
I do not like {food}|لا أحب {food}|저는 {food} 좋아하지 않아요|я не люблю {food}
{who} loves {food}|{who} يحب {food}|{who} {food} 아주 좋아해요|{who} очень любит {food}
I am allergic to {food}|لدي حساسية من {food}|저는 {food} 알레르기가 있어요|у меня аллергия на {food}
I drink or eat {food} {when}|أتناول {food} {when}|{when} {food} 먹어요|я ем {food} {when}
{who} works as a {job}|يعمل {who} {job}|{who} {job} 일해요|{who} работает: {job}
I want to become a {job}|أريد أن أصبح {job}|저는 {job} 되고 싶어요|я хочу стать, кто: {job}
I enjoy {do} {when}|أستمتع بـ {do} {when}|{when} {do} 즐겨요|мне нравится {do} {when}
{who} hates {do}|يكره {who} {do}|{who} {do} 싫어해요|{who} ненавидит {do}
{who} is {feel} {when}|{who} {feel} {when}|{when} {who} {feel}|{who} {feel} {when}
Where is {thing}?|أين {thing}؟|{thing} 어디에 있어요?|где {thing}?
How much does {thing} cost?|كم ثمن {thing}؟|{thing} 얼마예요?|сколько стоит {thing}?
Can you help me find {thing}?|هل يمكنك مساعدتي في العثور على {thing}؟|{thing} 찾는 것을 도와주실 수 있어요?|вы можете помочь мне найти {thing}?
{who} gave me {thing}|أعطاني {who} {thing}|{who} 저에게 {thing} 주었어요|{who} подарил мне {thing}
I forgot {thing} {when}|نسيت {thing} {when}|{when} {thing} 잊어버렸어요|я забыл {thing} {when}
{who} called me {when}|اتصل بي {who} {when}|{when} {who} 저에게 전화했어요|{who} позвонил мне {when}
{who} lives with us|يعيش {who} معنا|{who} 우리와 함께 살아요|{who} живёт с нами
I have to see {who} {when}|يجب أن أقابل {who} {when}|{when} {who} 만나야 해요|мне надо увидеть, кого: {who}, {when}
{who} was born {when}|ولد {who} {when}|{when} {who} 태어났어요|{who} родился {when}
Please bring {food}|أحضر {food} من فضلك|{food} 가져다주세요|пожалуйста, принеси {food}
{thing} is broken|{thing} معطل|{thing} 고장났어요|{thing} сломан
I sold {thing} {when}|بعت {thing} {when}|{when} {thing} 팔았어요|я продал {thing} {when}
{who} is learning: {do}|يتعلم {who} {do}|{who} {do} 배우고 있어요|{who} учится: {do}
Do you want {food}?|هل تريد {food}؟|{food} 드릴까요?|хочешь {food}?
We are moving {where} {when}|سننتقل {where} {when}|{when} {where} 이사해요|мы переезжаем {where} {when}
It is too expensive, {thing}|{thing} غالي جدا|{thing} 너무 비싸요|{thing}, это слишком дорого
{who} is older than me|{who} أكبر مني سنا|{who} 저보다 나이가 많아요|{who} старше меня
I dreamt of {who} {when}|حلمت بـ {who} {when}|{when} {who} 꿈을 꿨어요|мне снится {who} {when}
Thank you for {thing}|شكرا على {thing}|{thing} 감사합니다|спасибо за {thing}
It rains and it is cold {when}|الجو ممطر وبارد {when}|{when} 비가 오고 추워요|{when} дождь и холодно
The weather is hot and sunny {when}|الجو حار ومشمس {when}|{when} 날씨가 덥고 맑아요|{when} жарко и солнечно
Why did {who} not come?|لماذا لم يأت {who}؟|{who} 왜 안 왔어요?|почему не пришёл {who}?
When will {who} come back?|متى سيعود {who}؟|{who} 언제 돌아와요?|когда вернётся {who}?
I do not understand what {who} says|لا أفهم ما يقوله {who}|{who} 말을 이해 못 하겠어요|я не понимаю, что говорит {who}
I sleep badly {when}|لا أنام جيدا {when}|{when} 잠을 잘 못 자요|я плохо сплю {when}
My head hurts {when}|رأسي يؤلمني {when}|{when} 머리가 아파요|у меня болит голова {when}
{who} got married {when}|تزوج {who} {when}|{when} {who} 결혼했어요|{who}: свадьба {when}"""


def sentences(seed: int) -> list[dict[str, str]]:
    """Groups of one meaning each: the sentence by language."""
    draw = random.Random(seed)
    frames = [line.split("|") for line in FRAMES.splitlines()]
    slots = {name: [line.split("|") for line in text.splitlines()] for name, text in SLOTS.items()}
    made = [dict(zip(LANGUAGES, row, strict=True)) for rows in slots.values() for row in rows]
    while len(made) < COUNT:
        frame = draw.choice(frames)
        filled = {name: draw.choice(rows) for name, rows in slots.items()}
        made.append(
            {
                language: frame[at].format(**{name: row[at] for name, row in filled.items()})
                for at, language in enumerate(LANGUAGES)
            }
        )
    return made
