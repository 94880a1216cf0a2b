<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="ground" tilewidth="16" tileheight="16" tilecount="8" columns="8">
 <tileoffset x="0" y="0"/>
 <tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile>
 <tile id="1"><objectgroup><object id="1" x="0" y="16"><polygon points="0,0 16,0 16,-16"/></object></objectgroup></tile>
 <tile id="2" class="water"><objectgroup><object id="1" x="0" y="8" width="16" height="8"/></objectgroup></tile>
 <tile id="4">
  <properties><property name="drawn.material" value="ice"/></properties>
  <objectgroup><object id="1" x="8" y="8" width="8" height="8" rotation="30"><ellipse/></object></objectgroup>
 </tile>
</tileset>
